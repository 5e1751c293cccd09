import {Histogram} from "../../shared/meter.ts"

/** How a call ended, as a word of svc's own. */
export type CallOutcome = "done" | "failed" | "unknown" | "refused"

/** What the calls of one kind took. */
export interface CallFigures {
  readonly agent: string
  /** The tool as the binding names it; empty for calls of the model. */
  readonly tool: string
  readonly outcome: CallOutcome
  readonly seconds: Histogram
}

/** Times what agents call, since the start of the Host. */
export class AgentMeter {
  readonly #tools = new Map<string, CallFigures>()
  readonly #models = new Map<string, CallFigures>()

  get tools(): readonly CallFigures[] {
    return [...this.#tools.values()]
  }

  get models(): readonly CallFigures[] {
    return [...this.#models.values()]
  }

  /** A call of a tool has ended. `tool` is one of the binding's: a name that a model made up would make a series of its own. */
  toolEnded(agent: string, tool: string, seconds: number, outcome: CallOutcome): void {
    observe(this.#tools, {agent, tool, outcome}, seconds)
  }

  /** A call of a model has ended. */
  modelEnded(agent: string, seconds: number, outcome: CallOutcome): void {
    observe(this.#models, {agent, tool: "", outcome}, seconds)
  }
}

const observe = (figures: Map<string, CallFigures>, labels: Omit<CallFigures, "seconds">, seconds: number): void => {
  const key = `${labels.agent} ${labels.tool} ${labels.outcome}`
  const found = figures.get(key) ?? {...labels, seconds: new Histogram()}
  figures.set(key, found)
  found.seconds.observe(seconds)
}
