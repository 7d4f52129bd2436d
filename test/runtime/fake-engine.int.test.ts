import { afterAll } from 'vitest';
import { engineContract } from '../contracts/engine.contract.ts';
import { FakeEngine } from '../support/fake-engine.ts';

const fake = new FakeEngine();
fake.addImage('debian:bookworm-slim');
afterAll(() => {
  fake.close();
});

engineContract('the fake engine', () => Promise.resolve({ engine: fake, image: 'debian:bookworm-slim' }));
