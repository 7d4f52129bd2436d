/** Files that give the container's user a name; null where the image's own file already does (PF-U05, U06). */
export interface PasswdPlan {
  readonly passwd: string | null;
  readonly group: string | null;
}

/** Adds an entry for the uid and the gid to an image's passwd and group files; nothing of the image's own is changed. */
export function planPasswd(input: {
  readonly passwd: string;
  readonly group: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}): PasswdPlan {
  const users = entries(input.passwd);
  const groups = entries(input.group);
  const hasUser = users.some((fields) => fields[2] === String(input.uid));
  const hasGroup = groups.some((fields) => fields[2] === String(input.gid));
  const user = freeName(users, 'kraft');
  const group = freeName(groups, 'kraft');
  return {
    passwd: hasUser ? null : append(input.passwd, `${user}:x:${input.uid}:${input.gid}:Kraft:${input.home}:/bin/sh`),
    group: hasGroup ? null : append(input.group, `${group}:x:${input.gid}:`),
  };
}

function entries(text: string): string[][] {
  return text.split('\n').map((line) => line.split(':'));
}

function freeName(taken: readonly string[][], wanted: string): string {
  const names = new Set(taken.map((fields) => fields[0]));
  let name = wanted;
  for (let n = 2; names.has(name); n++) name = `${wanted}${n}`;
  return name;
}

function append(text: string, line: string): string {
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}
