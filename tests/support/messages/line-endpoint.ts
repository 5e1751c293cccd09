import {expect} from "vitest"
import {Endpoint} from "../../../server/endpoints/endpoint.ts"
import type {EndpointSpec} from "../../../server/endpoints/spec.ts"
import type {Inbox} from "../../../server/inbox/inbox.ts"
import type {Receipt} from "../../../shared/sdk/adapter/adapter.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import {log} from "../database/databases.ts"

export const lineSpec = (more: Partial<EndpointSpec> = {}): EndpointSpec => ({
  name: "line",
  owner: "root/line",
  slot: "line",
  fingerprint: "",
  account: "",
  history: "none",
  forgetsAcknowledged: false,
  idempotent: false,
  claimedIds: false,
  varies: [],
  features: [],
  limits: {},
  libraries: {},
  load: async () => expect.fail("no library is declared"),
  log,
  own: work => work(),
  open: undefined,
  ...more,
})

/** The receipt of an event that was stored under this number. */
export const stored = (sn: number): Receipt => ({sn, duplicate: false, dropped: false})

/** An endpoint with that spec, which delivers to this inbox. */
export const lineEndpoint = (inbox: Pick<Inbox, "receiveAll">, more: Partial<EndpointSpec> = {}): Endpoint =>
  new Endpoint(lineSpec(more), {receive: (...args) => inbox.receiveAll(...args), online: () => {}})

/** A message of Ann in the channel `c`, as an adapter delivers it. */
export const incoming = (id: string, more: Partial<Incoming> = {}): Incoming => ({
  id,
  type: "message-created",
  channel: {id: "c", type: 0},
  user: {id: "ann"},
  message: {id, content: id},
  ...more,
})
