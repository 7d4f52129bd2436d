/** Prefix of every branch that Kraft makes. */
export const branchPrefix = 'kraft/';

const slugMaxLength = 40;

/**
 * `kraft/<id>-<slug>` for an item. The slug keeps the ASCII letters and digits of the title, so that the name is a valid
 * ref, a valid file name and typeable; a title without any gives `kraft/<id>`.
 */
export function branchName(itemId: string, title: string): string {
  const slug = slugify(title);
  return slug === '' ? `${branchPrefix}${itemId}` : `${branchPrefix}${itemId}-${slug}`;
}

function slugify(title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== '');
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? word : `${slug}-${word}`;
    if (longer.length > slugMaxLength) break;
    slug = longer;
  }
  const [first] = words;
  return slug === '' && first !== undefined ? first.slice(0, slugMaxLength) : slug;
}

const forbiddenInRef = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/u;

/** Whether `name` may stand behind `refs/heads/`: git's own rules, and nothing that reads as an option or a refspec. */
export function isBranchName(name: string): boolean {
  if (name === '' || name === '@' || name === 'HEAD' || name.startsWith('-') || name.length > 240) return false;
  if (forbiddenInRef.test(name)) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

export function branchRef(branch: string): string {
  return `refs/heads/${branch}`;
}

/** Keeps the base commit of an open item from the person's own `git gc`; lives until archive or abandon. */
export function baseRef(itemId: string): string {
  return `refs/kraft/base/${itemId}`;
}

/** Holds what a publish brought over until the branch has moved; left behind only by a crash in between. */
export function incomingRef(itemId: string): string {
  return `refs/kraft/incoming/${itemId}`;
}

/** Where a commit is kept that could not be published. */
export function unsyncedRef(branch: string): string {
  return `refs/kraft/unsynced/${branch}`;
}

const objectId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** A bare SHA-1 or SHA-256 object id in lower-case hex. */
export function isObjectId(text: string): boolean {
  return objectId.test(text);
}
