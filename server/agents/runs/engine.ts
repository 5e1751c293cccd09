import type {Binding} from "../../../shared/agents/binding.ts"
import type {Log} from "../../../shared/log.ts"
import type {Element} from "../../../shared/sdk/elements.ts"
import type {Permission} from "../../../shared/sdk/permission.ts"
import type {Database} from "../../database/database.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Say} from "../../messages/texts/host-texts.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import type {Workroom} from "../../workroom/workroom.ts"
import type {Model, ModelRequest} from "../providers/model.ts"
import type {AgentTool} from "../tools/tool.ts"
import type {AgentRun} from "./run-rows.ts"

/** Hears of each call that has ended, in seconds. */
export interface CallMeter {
  modelEnded(agent: string, seconds: number, outcome: "done" | "failed"): void
  toolEnded(agent: string, tool: string, seconds: number, outcome: "done" | "failed" | "unknown"): void
}

/** What runs of agents use of the Host; passed in by the composition root. */
export interface Engine {
  readonly database: Database
  readonly log: Log
  readonly clock: Clock
  readonly runtimeId: string
  readonly outbox: Pick<Outbox, "stored">
  readonly endpoints: Pick<Endpoints, "get" | "hasFeature" | "typing">
  readonly workroom: Pick<Workroom, "run" | "item" | "items" | "journalOf">
  readonly meter: CallMeter
  /** An enabled binding of the running generation. */
  bindingOf(agent: string): Binding | undefined
  /** Its tools and those of the run, by the name that bindings give them, with the binding's settings. */
  toolsOf(binding: Binding, run: AgentRun): ReadonlyMap<string, AgentTool>
  /** Throws `agent_misconfigured`. */
  modelOf(binding: Binding): Promise<Model>
  /** Tokens of what the model is to read, rather too many than too few. */
  estimate(request: ModelRequest): number
  /** Of the user that a run is for, now; undefined for none. */
  permissionOf(run: AgentRun, binding: Binding): Permission | undefined
  /** What svc says in the language of the run's conversation. */
  sayFor(run: AgentRun): Promise<Say>
  /** The buttons that decide about an approval. */
  decisionButtons(approval: string, say: Say): readonly Element[]
  /** Takes the values of secrets out of a text. */
  hide(text: string): string
  isPaused(): boolean
  isStopping(): boolean
  /** Of one agent, does one thing after the other: what is counted, and what is stored because of it. */
  inTurn<T>(agent: string, work: () => Promise<T>): Promise<T>
  /** Has a run go on after a pause in milliseconds, by a clock that nobody sets. */
  wakeIn(run: AgentRun, pause: number): void
  /** A run of a work item has ended: the item may wait for another. */
  considerItems(): void
}

/** The run is not this attempt's any more: it was cancelled, or another Host has taken it up. */
export class AttemptOver extends Error {}

/** What becomes of a run after a step. */
export type After = "goes on" | "is over"
