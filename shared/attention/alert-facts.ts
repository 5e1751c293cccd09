import type {GapView} from "../api/endpoints.ts"
import type {Facts} from "./finding.ts"

export type SeenGap = Pick<GapView, "endpoint" | "from" | "to" | "reason" | "planned">

/** The numbers of an agent's runs that ended within an hour. */
export interface AgentEnds {
  readonly agent: string
  readonly ended: number
  readonly bad: number
  /** The newest run that failed or was cancelled. */
  readonly runId?: string
}

export interface Backlog {
  readonly byState: Readonly<Record<string, number>>
  /** The age of the oldest row to be handled, in seconds, by endpoint. */
  readonly oldestAge: ReadonlyMap<string, number>
  /** Important messages that have expired. */
  readonly missed?: number
}

/** What alerts look at. Undefined means unknown. */
export interface AlertFacts extends Omit<Facts, "aside"> {
  readonly workroom: Facts["workroom"] & {readonly states: {readonly blocked: number}}
  readonly inbox?: Backlog | undefined
  readonly outbox?: Backlog | undefined
  /** Starts in the quarter of an hour before this run's start, which counts too. */
  readonly starts?: number | undefined
  /** The start of the first run, in milliseconds since 1970. */
  readonly firstStart?: number | undefined
  readonly startedAt: number
  /** Records of errors that the log has written. */
  readonly errors: number
  readonly streamGaps: number
  readonly eventsDropped: number
  readonly gaps?: readonly SeenGap[] | undefined
  /** A share, 0 to 1. */
  readonly capacity?: number | undefined
  /** Bytes. */
  readonly disk?: {readonly free: number; readonly least: number} | undefined
  readonly databaseFailure?: {readonly code: string; readonly message: string} | undefined
  readonly databaseDamage?: {readonly tables: readonly string[]; readonly message: string} | undefined
  readonly agentEnds?: readonly AgentEnds[] | undefined
}

/** Functions that read facts. A fact whose function rejects or takes too long is unknown. */
export type FactReadings = {
  readonly [K in keyof AlertFacts]?: () => AlertFacts[K] | Promise<AlertFacts[K]>
}
