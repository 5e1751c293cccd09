import type {Peer, SocketHooks} from "../../runtime/runtime.ts"

/** The hooks of a connection, added to its context. */
interface Served extends Record<string, unknown> {
  readonly hooks: SocketHooks
}

const hooksOf = (peer: Peer) => (peer.context as Served).hooks

/** Combines several sets of hooks: each connection gets those of its path. */
export const socketsByPath = (hooksAt: (path: string) => SocketHooks): SocketHooks => ({
  upgrade: (request, peerOf) => {
    const hooks = hooksAt(new URL(request.url).pathname)
    const decided = hooks.upgrade(request, peerOf)
    return "context" in decided ? {context: {...decided.context, hooks}} : decided
  },
  open: peer => hooksOf(peer).open?.(peer),
  message: (peer, message) => hooksOf(peer).message?.(peer, message),
  close: (peer, details) => hooksOf(peer).close?.(peer, details),
  error: (peer, error) => hooksOf(peer).error?.(peer, error),
})
