import { describe, expect, it } from 'vitest';
import { prepareClient, renderRunArgs } from '../../src/runtime/index.ts';
import { plainSpec } from '../contracts/engine.contract.ts';

const client = { PATH: '/usr/bin', HOME: '/home/ada', DOCKER_HOST: 'unix:///run/docker.sock' };
const spec = { ...plainSpec, image: 'debian' };

describe('the environment of a client', () => {
  it('holds the values of the names that the spec passes, and no other value', () => {
    const { env } = prepareClient({ ...spec, envNames: ['KEY'] }, client, { KEY: 'v', STRAY: 's' });
    expect(env).toEqual({ ...client, KEY: 'v' });
  });

  it('lacks a name that has no value, even one that the client has, so that it is absent inside', () => {
    const { env } = prepareClient({ ...spec, envNames: ['USER', 'KEY'] }, { ...client, USER: 'ada' }, {});
    expect(env).toEqual(client);
  });

  it.each([
    'PATH',
    'HOME',
    'DOCKER_HOST',
    'DOCKER_CONFIG',
    'CONTAINERS_CONF',
    'CONTAINER_HOST',
    'LD_PRELOAD',
    'XDG_RUNTIME_DIR',
  ])('keeps its own %s, and hands the repository’s in as a literal', (name) => {
    const prepared = prepareClient({ ...spec, envNames: [name] }, client, { [name]: '/theirs' });
    expect(prepared.env).toEqual(client);
    expect(renderRunArgs(prepared.spec, 'docker')).toContain(`${name}=/theirs`);
    expect(renderRunArgs(prepared.spec, 'docker')).not.toContain(name);
  });

  it('never passes the client’s own HOME bare when nobody gave a value', () => {
    const prepared = prepareClient({ ...spec, envNames: ['HOME'] }, client, {});
    expect(renderRunArgs(prepared.spec, 'docker')).not.toContain('-e');
  });

  it('keeps secrets that merely look like the client’s bare', () => {
    const prepared = prepareClient({ ...spec, envNames: ['DOCKER_AUTH_CONFIG'] }, client, {
      DOCKER_AUTH_CONFIG: 's3cret',
    });
    expect(renderRunArgs(prepared.spec, 'docker').join(' ')).not.toContain('s3cret');
    expect(prepared.env['DOCKER_AUTH_CONFIG']).toBe('s3cret');
  });

  it('gives a value to no name that is a literal already', () => {
    const prepared = prepareClient({ ...spec, envNames: ['A'], envLiterals: { A: 'literal' } }, client, { A: 'bare' });
    expect(prepared.env).toEqual(client);
  });
});
