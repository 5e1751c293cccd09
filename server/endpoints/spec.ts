import type {MaxAges} from "../../shared/config/config.ts"
import type {PluginPath} from "../../shared/ids.ts"
import type {Log} from "../../shared/log.ts"
import type {
  AdapterDefinition,
  AdapterFinding,
  CheckTools,
  Endpoint as EndpointHandle,
} from "../../shared/sdk/adapter/adapter.ts"
import type {OwnMethods} from "../../shared/sdk/adapter/own-methods.ts"
import type {Sender} from "../../shared/sdk/adapter/sender.ts"
import type {TSchema} from "../../shared/type.ts"
import {type Delivery, noPolicy, type Policy} from "./policy.ts"

type Declared = "history" | "forgetsAcknowledged" | "idempotent" | "claimedIds" | "varies" | "limits" | "libraries"

/** One endpoint according to a generation. */
export interface EndpointSpec extends Required<Pick<AdapterDefinition<TSchema>, Declared | "features">> {
  readonly name: string
  readonly methods?: OwnMethods | undefined
  readonly owner: PluginPath
  readonly slot: string
  /** Equal if the endpoint may stay connected: same instance, same account. */
  readonly fingerprint: string
  /** Equal over restarts while the account is equal with its secrets. */
  readonly account: string
  readonly delivery?: Delivery
  readonly maxAges?: MaxAges
  readonly log: Log
  /** Runs the functions of the opened adapter on behalf of its plugin. */
  readonly own: <T>(work: () => T) => T
  readonly load: EndpointHandle["load"]
  /** Runs the adapter's `check`; absent if it has none or the account is missing. */
  readonly check?: ((tools: CheckTools) => Promise<readonly AdapterFinding[]>) | undefined
  /** Runs the adapter's `open`; undefined for an adapter that needs an account and has none. */
  readonly open: ((endpoint: EndpointHandle) => Promise<Sender>) | undefined
  /** Runs the adapter's `webhook` with the result of `open`; absent for an adapter without webhooks. */
  readonly webhook?: ((request: Request, opened: Sender, requestId: string) => Promise<Response>) | undefined
  /** Does its platform open WebSockets to the Host? */
  readonly sockets?: boolean
  /** For a webhook that a plugin declares, which only receives: its path. */
  readonly onlyReceives?: string
}

/** Can its platform be asked for the messages missed in a gap? */
export const hasBackfill = ({history, features}: EndpointSpec): boolean =>
  history === "none" && features.includes("history")

export const hasGaps = ({history, forgetsAcknowledged}: EndpointSpec): boolean =>
  history === "none" || forgetsAcknowledged

export const hasButtons = ({features}: EndpointSpec): boolean => features.includes("buttons")

/** Returns how an endpoint sends, for the outbox. */
export const policyOf = (spec: EndpointSpec | undefined): Policy | undefined =>
  spec && {
    ...(spec.delivery ?? noPolicy),
    idempotent: spec.idempotent,
    limits: spec.limits,
    buttons: hasButtons(spec),
    selects: spec.features.includes("selects"),
    forms: spec.features.includes("forms"),
  }
