import {Endpoint} from "../../server/capabilities/endpoint.ts"
import type {Inbox} from "../../server/capabilities/inbox.ts"
import type {Log} from "../../shared/log.ts"

/** An endpoint without an adapter behind it: what is received goes to this inbox. */
export const lineEndpoint = (inbox: Pick<Inbox, "receive">, log: Log): Endpoint =>
  new Endpoint(
    {
      name: "line",
      owner: "root/line",
      slot: "line",
      fingerprint: "",
      history: "none",
      idempotent: false,
      log,
      open: undefined,
    },
    {receive: (...args) => inbox.receive(...args), online: () => {}},
  )
