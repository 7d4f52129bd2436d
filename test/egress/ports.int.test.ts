import { askSystem, netDialer } from '../../src/egress/index.ts';
import { askSystemContract, dialerContract } from '../contracts/egress-ports.contract.ts';
import { askTable, MappedDialer, publicAddress } from './support/open-proxy.ts';

const refusing = { address: '127.0.0.1', port: 1 };

dialerContract('the kernel', () => ({
  dialer: netDialer,
  address: '127.0.0.1',
  port: (listening) => listening,
  refusing,
}));
dialerContract('the tests', (listening) => ({
  dialer: new MappedDialer((key) => (key === `${publicAddress}:443` ? listening() : 1)),
  address: publicAddress,
  port: () => 443,
  refusing,
}));

askSystemContract('the system', () => ({ ask: askSystem, known: 'localhost' }));
askSystemContract('the tests', () => ({ ask: askTable({ localhost: ['::1', '127.0.0.1'] }), known: 'localhost' }));
