// npm run setup: brings Node, packages, a container engine and Kraft's images. `--help` says more.

import process from 'node:process';
import { parseArgs } from 'node:util';
import { stopOwnDaemon } from './setup/docker.mjs';
import { prepare } from './setup/prepare.mjs';
import { runMain, say, sayDurations } from './setup/progress.mjs';

const help = `npm run setup [-- OPTIONS]

  --yes         install system packages without asking (so do CI=true and a missing terminal)
  --for-tests   also what \`npm test\` needs: Docker and Podman both, and an account \`kraft-test\`
                with rootless engines
  --stop        stop the Docker engine that an earlier run started, and do nothing else
  --help        this text

Tools of this checkout lie in .tools/; an engine that this starts keeps its storage in /var/lib/kraft-engine and its socket
in /run/kraft-engine, and reads no configuration of this machine.`;

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      yes: { type: 'boolean', default: false },
      'for-tests': { type: 'boolean', default: false },
      stop: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) say(help);
  else if (values.stop) say(await stopOwnDaemon());
  else {
    if (Number(process.versions.node.split('.')[0]) < 20)
      throw new Error('Any Node from 20 on starts this; yours is older.');
    await prepare({ yes: values.yes, forTests: values['for-tests'] });
    sayDurations();
  }
});
