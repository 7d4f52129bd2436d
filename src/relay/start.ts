import type { Log } from '../base/index.ts';
import { relayContainerName, type Engine } from '../runtime/index.ts';
import { openChannel, type Channel } from './channel.ts';
import { relayErrors } from './errors.ts';
import { planRelay, type RelayProgram } from './plan.ts';
import { checkProtocol, type RelayImage, type RelayNeed } from './probe-image.ts';
import { speakToOwnRelay, speakToSocat, type Speaker } from './speaker.ts';
import { describeEnd, watchRelay, type RelayWatch } from './watch.ts';

/** Bounds of a relay, in milliseconds; tests bring shorter ones. */
export interface RelayTiming {
  /** From the start of its container until it listens. */
  readonly readyMs: number;
  /** Between looks at a container that does not speak. */
  readonly lookMs: number;
  /** Of the self test. */
  readonly selfTestMs: number;
  /** After a relay was taken, before the next one is started: the worker that it was taken for comes first. */
  readonly refillMs: number;
  /** Without a launch, after which no relay is kept ready. */
  readonly idleMs: number;
}

export const relayTiming: RelayTiming = {
  readyMs: 10_000,
  lookMs: 500,
  selfTestMs: 10_000,
  refillMs: 300,
  idleMs: 10 * 60_000,
};

export interface RelayPlace {
  /** Resolved KRAFT_HOME, for the labels. */
  readonly home: string;
  /** `run/sn`, resolved. */
  readonly socketsDir: string;
  readonly platform: string;
  readonly timing: RelayTiming;
  readonly log: Log;
}

/** A relay that runs, and its open channel. */
export interface RunningRelay {
  readonly id: string;
  readonly container: string;
  /** Null of one that was found again. */
  readonly imageId: string | null;
  readonly channel: Channel;
  readonly watch: RelayWatch;
  isAlive(): Promise<boolean>;
  /** Errors: CHANNEL_SELF_TEST_FAILED. */
  selfTest(): Promise<void>;
  /** Ends its connections and removes socket, folder and container. Never rejects: what stays is logged, and swept. */
  remove(): Promise<void>;
  /** Leaves the relay running, without sockets, for a daemon that comes back. */
  suspend(): Promise<void>;
}

/**
 * Starts a relay, and gives it once it listens; nothing of a start that failed stays.
 * Errors: CHANNEL_*, CONTAINER_NOT_STARTED, RELAY_ENDED, RELAY_SILENT, RELAY_PROTOCOL_UNKNOWN.
 */
export async function startRelay(
  place: RelayPlace,
  relayId: string,
  need: RelayNeed,
  image: RelayImage,
): Promise<RunningRelay> {
  // The channel comes first: a relay whose socket is there when it starts says hello at once.
  const channel = await openChannel({ ...place, relayId });
  const relay = runningRelay(place, {
    relayId,
    channel,
    engine: need.engine,
    imageId: image.id,
    program: image.program,
  });
  try {
    const { directory } = channel;
    const { user, selinux, facts } = need;
    const { enforceable } = facts;
    const spec = planRelay({
      home: place.home,
      relayId,
      directory,
      image: need.image,
      program: image.program,
      user,
      selinux,
      enforceable,
    });
    await need.engine.startContainer(spec);
    await awaitReady(relay, need, place.timing);
    relay.watch.look();
    return relay;
  } catch (error) {
    await relay.remove();
    throw error;
  }
}

/** Opens the channel of a relay that another process started, at its path. Errors: CHANNEL_*, RELAY_LOST. */
export async function reopenRelay(
  place: RelayPlace,
  relayId: string,
  { engine, program }: { readonly engine: Engine; readonly program: RelayProgram },
): Promise<RunningRelay> {
  const container = relayContainerName(relayId);
  const end = describeEnd(await engine.inspectContainer(container));
  if (end !== null) throw relayErrors.create('RELAY_LOST', { container, why: end });
  const channel = await openChannel({ ...place, relayId });
  const relay = runningRelay(place, { relayId, channel, engine, imageId: null, program });
  relay.watch.look();
  return relay;
}

interface Parts {
  readonly relayId: string;
  readonly channel: Channel;
  readonly engine: Engine;
  readonly imageId: string | null;
  readonly program: RelayProgram;
}

interface SpeakingRelay extends RunningRelay {
  readonly speaker: Speaker;
}

function runningRelay(
  { timing, log }: RelayPlace,
  { relayId, channel, engine, imageId, program }: Parts,
): SpeakingRelay {
  const container = relayContainerName(relayId);
  const speaker = program === 'kraft' ? speakToOwnRelay(channel.control) : speakToSocat(engine, container);
  const pollMs = program === 'kraft' ? timing.lookMs : 4 * timing.lookMs;
  const watch = watchRelay({ engine, container, connected: () => speaker.connected(), pollMs });
  channel.control.onHangUp = () => watch.look();
  return {
    id: relayId,
    container,
    imageId,
    channel,
    watch,
    speaker,
    isAlive: async () => speaker.connected() || (await engine.inspectContainer(container))?.running === true,
    async selfTest() {
      const status = await speaker.ask(timing.selfTestMs);
      const answer = status === null ? 'there was no answer' : `the answer had status ${status} in place of 403`;
      if (status !== 403) throw relayErrors.create('CHANNEL_SELF_TEST_FAILED', { container, answer });
    },
    async remove() {
      watch.stop();
      const removed = await Promise.allSettled([channel.close(), engine.removeContainer(container)]);
      for (const { reason } of removed.filter((each) => each.status === 'rejected'))
        log.warn(`relay ${relayId} was not removed whole: ${String(reason)}`);
    },
    async suspend() {
      watch.stop();
      await channel.suspend();
    },
  };
}

/** Kraft's relay is heard of by its connection: that it reaches the socket is known as well then, and not only its start. */
async function awaitReady(relay: SpeakingRelay, need: RelayNeed, timing: RelayTiming): Promise<void> {
  const { container, speaker } = relay;
  for (let waitedMs = 0; waitedMs < timing.readyMs; waitedMs += timing.lookMs) {
    const version = await speaker.ready(timing.lookMs);
    if (version === 'socat') return;
    if (version !== null) {
      checkProtocol(need.image, version);
      return;
    }
    const end = describeEnd(await need.engine.inspectContainer(container));
    if (end !== null) throw relayErrors.create('RELAY_ENDED', { container, image: need.image, end });
  }
  const { directory } = relay.channel;
  throw relayErrors.create('RELAY_SILENT', { container, directory, waitedMs: timing.readyMs });
}
