import type { Actor, ThreadUpdated } from '../events/index.ts';

export type Claim = NonNullable<ThreadUpdated['payload']['claim']>;

/** A place in the changes that is talked about. */
export interface Thread {
  readonly id: string;
  readonly itemId: string;
  /** Path inside the repository, normalised. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  readonly status: 'open' | 'resolved';
  /** Seen by the person alone until a review takes it along. */
  readonly draft: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What was said in a thread. A worker's words are data, never trusted. */
export interface ThreadComment {
  readonly author: Actor;
  readonly body: string;
  /** What a worker says of its reply; null for a person's words. */
  readonly claim: Claim | null;
  readonly createdAt: string;
}

/** A thread with what was said in it, oldest first. */
export interface ThreadView extends Thread {
  readonly comments: readonly ThreadComment[];
}

/** Longest note, comment or reply in bytes of UTF-8. */
export const reviewTextMaxBytes = 16 * 1024;

/** Most threads of an item, and most comments of a thread: a worker cannot fill the disk with replies. */
export const threadsMax = 500;
export const commentsMax = 100;

const pathMaxBytes = 4096;

/**
 * A path inside the repository as a person types it, normalised (`./a//b` is `a/b`); null for what is none: absolute,
 * leading out, inside `.git`, or with characters that no file of a diff shows as they are.
 */
export function normaliseFile(typed: string): string | null {
  if (typed === '' || typed.startsWith('/') || /\p{Cc}/u.test(typed)) return null;
  if (Buffer.byteLength(typed) > pathMaxBytes || typed.endsWith('/')) return null;
  const parts = typed.split('/').filter((part) => part !== '' && part !== '.');
  const isOutside = parts.some((part) => part === '..' || part.toLowerCase() === '.git');
  return parts.length === 0 || isOutside ? null : parts.join('/');
}

/** Why a text is no note, comment or reply; null when it is one. */
export function refuseReviewText(text: string): string | null {
  if (!/[^\p{C}\s]/u.test(text)) return 'it is empty';
  return Buffer.byteLength(text) > reviewTextMaxBytes ? `it is longer than ${reviewTextMaxBytes / 1024} KiB` : null;
}
