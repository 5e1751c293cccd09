import {Histogram} from "../../../shared/metrics/meter.ts"

/** How a call ended, as a fixed word of svc. */
type CallOutcome = "done" | "failed" | "unknown"

export interface CallFigures {
  readonly agent: string
  /** The tool's name in the binding, or the model's. */
  readonly name: string
  readonly outcome: CallOutcome
  readonly seconds: Histogram
}

/** Times the calls of agents, since the start of the Host. */
export class AgentMeter {
  readonly tools = new Map<string, CallFigures>()
  readonly models = new Map<string, CallFigures>()
  /** How many things in the answers for each binding svc did not know, and left out. */
  readonly unknown = new Map<string, number>()

  /** Counts an ended tool call, in seconds. `tool` is one of the binding's: each name that a model invents would be a series. */
  toolEnded(agent: string, tool: string, seconds: number, outcome: CallOutcome): void {
    observe(this.tools, {agent, name: tool, outcome}, seconds)
  }

  /** Counts an ended model call, in seconds. */
  modelEnded(agent: string, model: string, seconds: number, outcome: CallOutcome): void {
    observe(this.models, {agent, name: model, outcome}, seconds)
  }

  unknownMet(agent: string): void {
    this.unknown.set(agent, (this.unknown.get(agent) ?? 0) + 1)
  }
}

const observe = (figures: Map<string, CallFigures>, labels: Omit<CallFigures, "seconds">, seconds: number): void => {
  const key = `${labels.agent} ${labels.name} ${labels.outcome}`
  const found = figures.get(key) ?? {...labels, seconds: new Histogram()}
  figures.set(key, found)
  found.seconds.observe(seconds)
}
