import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const project = resolve(import.meta.dirname, '..');

describe('npm run quickstart', () => {
  it('runs the main job by itself and ends with diff, commits, test result, events and how to merge', async () => {
    const text = await new Promise<string>((done, failed) => {
      execFile(
        'npm',
        ['run', '--silent', 'quickstart', '--', '--yes'],
        { cwd: project, timeout: 200_000, maxBuffer: 32 * 1024 * 1024 },
        (error, stdout, stderr) => {
          if (error === null) done(stdout + stderr);
          else failed(new Error(`${error.message}\n${stdout}\n${stderr}`));
        },
      );
    });
    expect(text).toMatch(/^\+.*\d|^\+ /m);
    expect(text).toContain('kraft/');
    expect(text).toContain('git merge');
    expect(text).toContain('work_item_completed');
    expect(text).toMatch(/pass/i);
  });
});
