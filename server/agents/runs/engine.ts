import type {Binding} from "../../../shared/agents/binding.ts"
import type {Log} from "../../../shared/log.ts"
import type {Element} from "../../../shared/sdk/content/elements.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import type {Database} from "../../database/database.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Say} from "../../messages/texts/host-texts.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import type {Workroom} from "../../workroom/workroom.ts"
import type {Cooling} from "../providers/cooling.ts"
import type {Model} from "../providers/model.ts"
import type {BoundModel} from "../providers/models.ts"
import type {AgentMeter} from "./meter.ts"
import type {AgentRun} from "./run-rows.ts"
import type {AgentTool} from "./tool.ts"

/** The vector of a question, and its model. */
export interface Question {
  readonly source: string
  readonly vector: Float32Array
}

/** The parts of the Host that agent runs use; the composition root passes them in. */
export interface Engine {
  readonly database: Database
  readonly log: Log
  readonly clock: Clock
  readonly runtimeId: string
  readonly outbox: Pick<Outbox, "stored">
  readonly endpoints: Pick<Endpoints, "get" | "hasFeature" | "typing">
  readonly workroom: Pick<Workroom, "run" | "item" | "items" | "journalOf">
  readonly meter: Pick<AgentMeter, "modelEnded" | "toolEnded" | "unknownMet">
  readonly cooling: Cooling
  /** Resolves to whether memories can be searched. */
  readonly memoryIndex: {ready(): Promise<boolean>}
  readonly embeddings: {
    question(binding: Binding, text: string): Promise<Question | undefined>
    /** Call it when there may be new memories. */
    consider(): void
  }
  /** Returns an enabled binding of the running generation. */
  bindingOf(agent: string): Binding | undefined
  /** Returns `resumeWithin` of the agents that have it, in milliseconds. */
  resumeLimits(): readonly (readonly [agent: string, within: number])[]
  /** Returns the agents that note summaries. */
  summarizing(): readonly string[]
  /** Returns the tools of the binding and of the run, by their names in bindings, with the binding's settings. */
  toolsOf(binding: Binding, run: AgentRun): ReadonlyMap<string, AgentTool>
  /** Learns the tools of the binding's MCP servers. */
  learnTools(binding: Binding): Promise<void>
  /** Throws `agent_misconfigured`. */
  modelOf(binding: Binding, model: BoundModel): Promise<Model>
  /** Returns the current permission of the run's user; undefined without a user. */
  permissionOf(run: AgentRun, binding: Binding): Permission | undefined
  /** Returns svc's texts in the language of the run's conversation. */
  sayFor(run: AgentRun): Promise<Say>
  decisionButtons(approval: string, say: Say): readonly Element[]
  hide(text: string): string
  isPaused(): boolean
  isStopping(): boolean
  /** Begins the calls of runs one after another: many that begin together would delay all messages. */
  inTurn(begin: () => Promise<void>): Promise<void>
  /** Continues a run after a pause in milliseconds, by a monotonic clock. */
  wakeIn(run: AgentRun, pause: number): void
  /** Call it when a run of a work item has ended: the item may need another run. */
  considerItems(): void
}

/** The run no longer belongs to this attempt: it was cancelled, or another Host has taken it over. */
export class AttemptOver extends Error {}

/** How a run continues after a step. */
export type After = "goes on" | "is over"
