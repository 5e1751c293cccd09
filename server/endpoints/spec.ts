import type {PluginPath} from "../../shared/ids.ts"
import type {Log} from "../../shared/log.ts"
import type {AdapterFinding, CheckTools, Endpoint as EndpointHandle, History} from "../../shared/sdk/adapter/adapter.ts"
import type {Feature, Limits, Sender} from "../../shared/sdk/adapter/sender.ts"
import {type Delivery, noPolicy, type Policy} from "./policy.ts"

/** What a generation says of one endpoint. */
export interface EndpointSpec {
  readonly name: string
  readonly owner: PluginPath
  readonly slot: string
  /** Equal for an endpoint that may stay connected: same instance, same account. */
  readonly fingerprint: string
  readonly history: History
  /** With `history: "replay"`: is what was acknowledged missing after a restore? */
  readonly forgetsAcknowledged: boolean
  readonly idempotent: boolean
  /** What its adapter declares beside sending. */
  readonly features: readonly Feature[]
  readonly limits: Limits
  readonly delivery?: Delivery
  readonly log: Log
  /** Runs what the opened adapter does as its plugin's own. */
  readonly own: <T>(work: () => T) => T
  /** The libraries that its adapter loads at first use, with their versions. */
  readonly libraries: Readonly<Record<string, string>>
  readonly load: EndpointHandle["load"]
  /** Runs the adapter's `check`; absent where it has none, or the account is missing. */
  readonly check?: ((tools: CheckTools) => Promise<readonly AdapterFinding[]>) | undefined
  /** Runs the adapter's `open`; undefined for an adapter that needs an account and has none. */
  readonly open: ((endpoint: EndpointHandle) => Promise<Sender>) | undefined
  /** Runs the adapter's `webhook` with what `open` resolved to; absent for an adapter that takes none. */
  readonly webhook?: ((request: Request, opened: Sender, requestId: string) => Promise<Response>) | undefined
  /** Does its platform open WebSockets to the Host? */
  readonly sockets?: boolean
}

/** May its platform be asked for what was missed in a gap? */
export const hasBackfill = ({history, features}: EndpointSpec): boolean =>
  history === "none" && features.includes("history")

/** Can it have gaps? */
export const hasGaps = ({history, forgetsAcknowledged}: EndpointSpec): boolean =>
  history === "none" || forgetsAcknowledged

/** Does its platform show buttons? */
export const hasButtons = ({features}: EndpointSpec): boolean => features.includes("buttons")

/** How an endpoint sends, for the outbox. */
export const policyOf = (spec: EndpointSpec | undefined): Policy | undefined =>
  spec && {
    ...(spec.delivery ?? noPolicy),
    idempotent: spec.idempotent,
    limits: spec.limits,
    buttons: hasButtons(spec),
    selects: spec.features.includes("selects"),
    forms: spec.features.includes("forms"),
  }
