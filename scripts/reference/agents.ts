import {
  agentReasons,
  type agentRunStates,
  type agentStepStates,
  type agentWaits,
  type approvalStates,
  type toolEffects,
} from "../../shared/agents/states.ts"
import {code, page, prose, table} from "./markdown.ts"

const intro = `What runs of agents, their steps and their approvals can be, and the words for why one failed, was refused or was cancelled.
\`GET /api/runs?kind=agent\`, \`svc agent runs\` and the events \`agent.*\` use these words.`

const runStates: Readonly<Record<(typeof agentRunStates)[number], string>> = {
  queued: "Stored, and not begun.",
  running: "A Host works on it.",
  waiting: "It waits for a person, for the provider, or for ingress, and goes on by itself after that.",
  held: "A restore holds it until an operator releases or discards it.",
  succeeded: "It has ended, and its answer is stored.",
  failed: "It has ended without an answer; the reason says why.",
  cancelled: "Somebody ended it.",
}

const waits: Readonly<Record<(typeof agentWaits)[number], string>> = {
  approval: "A person has to approve a call.",
  retry: "The provider did not answer, or was overloaded: the run tries again later.",
  ingress: "Ingress is paused: the run takes no step.",
}

const stepStates: Readonly<Record<(typeof agentStepStates)[number], string>> = {
  planned: "The model asked for it, and it has not begun.",
  waiting: "It waits for a person's approval.",
  begun: "It has begun.",
  done: "It has ended, and its result is stored.",
  failed: "It has failed; the Host tells the model.",
  unknown: "It was cut off and may have been done.",
  refused: "It was not begun; the reason says why.",
}

const decisions: Readonly<Record<(typeof approvalStates)[number], string>> = {
  waiting: "Nobody has decided.",
  held: "A restore holds it with its run.",
  approved: "A person approved the call.",
  denied: "A person denied the call.",
  expired: "Nobody decided in time.",
  cancelled: "The run ended before anybody decided.",
}

const effects: Readonly<Record<(typeof toolEffects)[number], string>> = {
  none: "It changes nothing: a call that was cut off is repeated.",
  transaction: "What it writes and sends is stored in one batch with its step.",
  idempotent: "It gets a key by which the other side knows a repetition.",
  external: "A call that was cut off is unknown, and never repeated by itself.",
}

const words = (heading: string, meanings: Readonly<Record<string, string>>): string =>
  table(
    [heading, "Meaning"],
    Object.entries(meanings).map(([word, meaning]) => [code(word), prose(meaning)]),
  )

export const agentsPage = (): string =>
  page(
    "Agents",
    intro,
    "## States of a run",
    words("State", runStates),
    "## What a waiting run waits for",
    words("Waits for", waits),
    "## States of a step",
    words("State", stepStates),
    "## States of an approval",
    words("State", decisions),
    "## Effects of tools",
    words("Effect", effects),
    "## Reasons",
    words("Reason", agentReasons),
  )
