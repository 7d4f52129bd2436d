export type * from './store.ts';
export { storeErrors } from './errors.ts';
export { openStore, type StoreOptions } from './open-store.ts';
export { takeFileLock, type FileLock } from './file-lock.ts';
