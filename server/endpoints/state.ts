import type {Refusal} from "../../shared/sdk/adapter/refusal.ts"

/** `since` is in milliseconds since 1970. */
export type EndpointState = {readonly since: number} & (
  | {readonly is: "idle"; readonly reason: "no_account" | "not_opened"}
  | {readonly is: "connecting"; readonly attempt: number}
  | {readonly is: "online"}
  | ({
      readonly is: "reconnecting"
      readonly attempt: number
      readonly error: string
      readonly retryAt: number
    } & Partial<Pick<Refusal, "reason" | "remediation">>)
  | {readonly is: "offline"; readonly reason: "closed"}
  | {readonly is: "failed"; readonly reason: string; readonly error: string; readonly remediation: string}
)

/** An endpoint's own gate for inbound events. Open does not mean that the transport is connected. */
export type Admission = {readonly is: "open"} | {readonly is: "closed"; readonly reason: string}
