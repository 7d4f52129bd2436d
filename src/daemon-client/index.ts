export { protocolHeader, protocolVersion, routes, socketName } from './protocol.ts';
