/**
 * The database's versions, oldest first; `PRAGMA user_version` counts how many have been applied. A step is never
 * edited once released: a change is a further step.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE items (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    repo TEXT NOT NULL,
    chain TEXT NOT NULL,
    harness TEXT NOT NULL,
    branch TEXT NOT NULL,
    baseBranch TEXT,
    baseCommit TEXT,
    base TEXT,
    worktree TEXT,
    adminDir TEXT,
    prepared INTEGER NOT NULL,
    status TEXT NOT NULL,
    started INTEGER NOT NULL,
    pauseRequested INTEGER NOT NULL,
    stop TEXT,
    nextNode TEXT,
    attempt INTEGER NOT NULL,
    frozen TEXT NOT NULL,
    frozenChain TEXT NOT NULL,
    createdAt TEXT NOT NULL,
    updatedAt TEXT NOT NULL
  ) STRICT;
  CREATE INDEX items_by_status ON items (status);

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    itemId TEXT NOT NULL REFERENCES items (id),
    nodeId TEXT NOT NULL,
    task TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    harness TEXT,
    status TEXT NOT NULL,
    backend TEXT NOT NULL,
    engine TEXT NOT NULL,
    container TEXT NOT NULL,
    containerId TEXT,
    command TEXT NOT NULL,
    pid INTEGER,
    bootId TEXT,
    startTicks TEXT,
    exitCode INTEGER,
    logPath TEXT NOT NULL,
    resultDir TEXT NOT NULL,
    exitPath TEXT NOT NULL,
    memoryBytes INTEGER,
    timeCapMs INTEGER,
    createdAt TEXT NOT NULL,
    startedAt TEXT,
    endedAt TEXT
  ) STRICT;
  CREATE INDEX sessions_by_item ON sessions (itemId);
  CREATE INDEX sessions_by_status ON sessions (status);

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    itemId TEXT NOT NULL REFERENCES items (id),
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    nodeId TEXT,
    createdAt TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_by_item ON events (itemId, seq);
  CREATE INDEX events_by_type ON events (type, seq);

  CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
  CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
  CREATE TRIGGER items_are_never_removed BEFORE DELETE ON items
    BEGIN SELECT RAISE(ABORT, 'an item is kept, so that its id is never used again'); END;
  `,
  `
  ALTER TABLE items ADD COLUMN enterAt TEXT;
  ALTER TABLE items ADD COLUMN skipped TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE items ADD COLUMN recovered TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE items ADD COLUMN fixLoop TEXT;
  ALTER TABLE items ADD COLUMN steer TEXT;
  ALTER TABLE items ADD COLUMN rejection TEXT;
  ALTER TABLE items ADD COLUMN resumesAt TEXT;
  ALTER TABLE items ADD COLUMN archivedAt TEXT;

  ALTER TABLE sessions ADD COLUMN run INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN verdict TEXT;
  ALTER TABLE sessions ADD COLUMN wallMs INTEGER;
  ALTER TABLE sessions ADD COLUMN reason TEXT;
  ALTER TABLE sessions ADD COLUMN agentSession TEXT;
  ALTER TABLE sessions ADD COLUMN model TEXT;
  ALTER TABLE sessions ADD COLUMN inputTokens INTEGER;
  ALTER TABLE sessions ADD COLUMN cachedTokens INTEGER;
  ALTER TABLE sessions ADD COLUMN outputTokens INTEGER;
  ALTER TABLE sessions ADD COLUMN costUsd REAL;
  ALTER TABLE sessions ADD COLUMN findings TEXT NOT NULL DEFAULT '[]';

  CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    itemId TEXT NOT NULL REFERENCES items (id),
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    status TEXT NOT NULL,
    draft INTEGER NOT NULL,
    createdAt TEXT NOT NULL,
    updatedAt TEXT NOT NULL
  ) STRICT;
  CREATE INDEX threads_by_item ON threads (itemId);

  CREATE TABLE comments (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    threadId TEXT NOT NULL REFERENCES threads (id),
    author TEXT NOT NULL,
    body TEXT NOT NULL,
    claim TEXT,
    createdAt TEXT NOT NULL
  ) STRICT;
  CREATE INDEX comments_by_thread ON comments (threadId, seq);
  `,
  `
  ALTER TABLE sessions ADD COLUMN relay TEXT;
  ALTER TABLE sessions ADD COLUMN egress TEXT;
  `,
];
