/** A WebSocket between the Host and the platform. */
export interface PlatformSocket {
  /** Aborted once the connection has ended, whichever side ended it. */
  readonly signal: AbortSignal
  /**
   * Sends one message, text or bytes, after the previous ones. Resolves once the platform has accepted all but 256 KiB.
   * Rejects if the connection has ended. If the platform needs longer than 30 s plus a second for each 64 KB, the Host
   * cuts the connection and it rejects too.
   */
  send(data: string | Uint8Array): Promise<void>
  /** Closes the connection with a code of RFC 6455; 1000 when left out. */
  close(code?: number, reason?: string): void
}

/** Handles the events of one connection. */
export interface SocketHandler {
  /** Called when the connection is open. */
  open?(socket: PlatformSocket): void
  /**
   * Called for one message, text or bytes as sent: of at most 1 MiB, or of `most` bytes if the Host opened the
   * connection. The next message does not wait for the returned promise. The Host closes a connection that the
   * platform opened (1013) if 1,000 messages or 16 MiB are unsettled, and any (1011) if this throws.
   */
  message(data: string | Uint8Array, socket: PlatformSocket): void | Promise<void>
  /** Called at the connection's end, with the code and reason of the side that closed it; 1006 if neither gave one. */
  close?(ended: {readonly code: number; readonly reason: string}): void
}

/**
 * Answers the request for a WebSocket before the Host accepts it: a `Response` refuses it, a handler accepts it. Verify
 * here who connects. The Host's token is never passed on.
 */
export type AcceptSocket = (request: Request) => Response | SocketHandler

/** How the Host opens a WebSocket to the platform. */
export interface SocketInit {
  readonly headers?: Readonly<Record<string, string>>
  /** The largest message, in bytes; 8 MiB when left out. A larger one ends the connection (1009), unread. */
  readonly most?: number
  /** Cuts the connection. */
  readonly signal: AbortSignal
}

/** The platform refused a WebSocket with this HTTP status. */
export interface SocketRefused extends Error {
  readonly status: number
}
