/** A WebSocket that the platform has opened to the Host. */
export interface PlatformSocket {
  /** Aborted once the connection has ended, whoever ended it. */
  readonly signal: AbortSignal
  /**
   * Sends one message, text or bytes, after those before it. Resolves once the platform has taken it but for 256 KiB. Rejects where the
   * connection has ended, and where the platform needs longer than 30 s and a second for each 64 KB: then the Host cuts the connection.
   */
  send(data: string | Uint8Array): Promise<void>
  /** Ends the connection, with a code of RFC 6455: 1000 when left out. */
  close(code?: number, reason?: string): void
}

/** What happens on one connection. */
export interface SocketHandler {
  /** The connection is open. */
  open?(socket: PlatformSocket): void
  /**
   * One message of at most 1 MiB, text or bytes as it was sent. The next one does not wait for a promise that this returns; the Host
   * closes the connection (1013) where 1,000 of them or 16 MiB are not settled. What is thrown closes it too (1011).
   */
  message(data: string | Uint8Array, socket: PlatformSocket): void | Promise<void>
  /** The connection has ended: with the code and the reason of whoever closed it, 1006 where nobody said so. */
  close?(ended: {readonly code: number; readonly reason: string}): void
}

/**
 * Answers the request of a WebSocket, before it is let in: a `Response` refuses it, a handler takes it. Verify here who connects.
 * The Host's token is never handed over.
 */
export type AcceptSocket = (request: Request) => Response | SocketHandler
