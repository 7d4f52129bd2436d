import { describe, expect, it } from 'vitest';
import { createStyle, decideTerminal } from '../../src/cli/terminal.ts';

function decide(env: Readonly<Record<string, string>>, tty = true) {
  return decideTerminal({
    env: (name) => env[name],
    stdinIsTty: tty,
    stdoutIsTty: tty,
    stderrIsTty: tty,
    columns: tty ? 80 : undefined,
  });
}

describe('decideTerminal', () => {
  it.each([
    { env: {}, tty: true, color: true },
    { env: {}, tty: false, color: false },
    { env: { NO_COLOR: '1' }, tty: true, color: false },
    { env: { NO_COLOR: '' }, tty: true, color: true },
    { env: { TERM: 'dumb' }, tty: true, color: false },
    { env: { FORCE_COLOR: '1' }, tty: false, color: true },
    { env: { FORCE_COLOR: '0' }, tty: true, color: false },
    { env: { FORCE_COLOR: '1', NO_COLOR: '1' }, tty: true, color: false },
  ])('colours with $env on a terminal ($tty): $color', ({ env, tty, color }) => {
    expect(decide(env, tty).color).toBe(color);
  });

  it('asks only where somebody can answer', () => {
    expect(decide({}).interactive).toBe(true);
    expect(decide({}, false).interactive).toBe(false);
    expect(decide({ TERM: 'dumb' }).interactive).toBe(false);
    expect(decide({ CI: 'true' }).interactive).toBe(false);
  });

  it('knows no width when output goes elsewhere', () => {
    expect(decide({}).columns).toBe(80);
    expect(decide({}, false).columns).toBeNull();
  });
});

describe('createStyle', () => {
  it('leaves text alone without colour', () => {
    expect(createStyle(false).red('stopped')).toBe('stopped');
    expect(createStyle(true).red('stopped')).toBe('\u001b[31mstopped\u001b[39m');
  });
});
