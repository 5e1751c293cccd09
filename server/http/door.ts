import {Problem} from "../../shared/problems.ts"
import type {Scope} from "../../shared/route.ts"
import {oncePer} from "../runtime/flow/remember.ts"
import type {PeerOf} from "../runtime/runtime.ts"
import {createVerifier, FailureLimit, type Tokens, type Verify} from "./requests/auth.ts"
import {createClientAddress} from "./requests/client-address.ts"
import {createCors} from "./requests/cors.ts"

export interface DoorOptions {
  readonly tokens: Tokens
  /** The settings that a new generation may change. */
  readonly settings: () => Settings
}

interface Settings {
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: readonly string[]
}

/** Decides who may come in and who the client is, for requests and WebSockets alike. */
export interface Door extends Gatekeeper {
  /** Derived from the current settings. */
  live(): {readonly cors: ReturnType<typeof createCors>; readonly clientAddress: ReturnType<typeof createClientAddress>}
  readonly guard: Guard
}

/** For callers without a request of the table, such as a WebSocket. */
export interface Guard {
  /** Throws `unauthorized`, `too_many_failures` or `forbidden` unless the header contains the full token. */
  admit(authorization: string | null, address: string): void
  /** Whether the header has one of the Host's tokens. */
  showsToken(authorization: string | null): boolean
  addressOf(request: Request, peerOf: PeerOf): string
}

export const createDoor = ({tokens, settings}: DoorOptions): Door => {
  const liveOf = oncePer(({corsOrigins, trustedProxies}: Settings) => ({
    cors: createCors(corsOrigins),
    clientAddress: createClientAddress(trustedProxies),
  }))
  const live = () => liveOf(settings())
  const gatekeeper = {verify: createVerifier(tokens), failures: new FailureLimit()}
  return {
    ...gatekeeper,
    live,
    guard: {
      admit: (authorization, address) => void admit(gatekeeper, "full", authorization, () => address),
      showsToken: authorization => gatekeeper.verify(authorization) !== undefined,
      addressOf: (request, peer) => live().clientAddress(peer(request), request),
    },
  }
}

export interface Gatekeeper {
  readonly verify: Verify
  readonly failures: FailureLimit
}

const ranks: Record<Scope, number> = {none: 0, signature: 0, demo: 1, full: 2}

/** Returns the scope of an `Authorization` header. Throws `unauthorized`, `too_many_failures`, `forbidden`. */
export const admit = (
  {verify, failures}: Gatekeeper,
  needed: "demo" | "full",
  authorization: string | null,
  addressOf: () => string,
): Scope => {
  const scope = verify(authorization)
  if (scope === undefined)
    return failures.refuse(addressOf(), new Problem("unauthorized", "the request has no valid token"))
  if (ranks[scope] < ranks[needed])
    throw new Problem("forbidden", `this needs the ${needed} token; the request has a ${scope} token`)
  return scope
}
