import { describe, expect, it } from 'vitest';
import { loadImageSources, packagedImagesDir, workerImage } from '../../src/images/index.ts';
import { relayProtocol } from '../../src/relay/index.ts';
import { relayImage, relayProtocolLabel } from '../../src/runtime/index.ts';
import { planContentTag, planFetches, planTags, type SourceFile } from '../../src/images/plan.ts';

const file = (path: string, text: string, executable = false): SourceFile => ({
  path,
  executable,
  content: Buffer.from(text),
});

describe('the content tag', () => {
  const files = [file('Dockerfile', 'FROM scratch\n'), file('demo/agent.mjs', 'x', true)];

  it('is the same for the same files in another order', () => {
    expect(planContentTag(files.toReversed())).toBe(planContentTag(files));
  });

  it.each([
    ['a byte changes', [file('Dockerfile', 'FROM scratch \n'), file('demo/agent.mjs', 'x', true)]],
    ['a file becomes executable', [file('Dockerfile', 'FROM scratch\n', true), file('demo/agent.mjs', 'x', true)]],
    ['a file is renamed', [file('Dockerfile', 'FROM scratch\n'), file('demo/agent.js', 'x', true)]],
    ['a file is added', [...files, file('more', '')]],
    ['bytes move to the next file', [file('Dockerfile', 'FROM scratch\nd'), file('emo/agent.mjs', 'x', true)]],
  ])('differs when %s', (_, changed) => {
    expect(planContentTag(changed)).not.toBe(planContentTag(files));
  });
});

describe('the packaged images', () => {
  const sources = loadImageSources(packagedImagesDir);

  it('hold the worker image and the relay image that configurations name', () => {
    expect(sources.map((source) => planTags(source)[1])).toEqual([relayImage, workerImage]);
  });

  it('say of the relay which protocol it speaks', () => {
    const dockerfile = sources.find(({ name }) => name === 'relay')?.files.find(({ path }) => path === 'Dockerfile');
    expect(Buffer.from(dockerfile?.content ?? []).toString()).toContain(
      `LABEL ${relayProtocolLabel}=${relayProtocol}\n`,
    );
  });

  it('are named so that no engine looks for them in a registry', () => {
    for (const source of sources) expect(source.file.repository).toMatch(/^localhost\//);
  });

  it('say what to fetch for both architectures, and are refused on others that a part does not exist for', () => {
    for (const source of sources) {
      expect(planFetches(source.file, 'x64')).not.toBeNull();
      expect(planFetches(source.file, 'arm64')).not.toBeNull();
      expect(planFetches(source.file, 'riscv64') === null).toBe(source.file.fetch.length > 0);
    }
  });
});
