import {
  agentReasons,
  type agentRunStates,
  type agentStepStates,
  type agentWaits,
  type approvalStates,
  type toolEffects,
} from "../../shared/agents/states.ts"
import {code, page, prose, table} from "./markdown.ts"

const intro = `The states of agent runs, their steps and their approvals, and the reasons for failed, refused and cancelled ones.
\`GET /api/runs?kind=agent\`, \`svc agent runs\` and the events \`agent.*\` use these words.`

const runStates: Readonly<Record<(typeof agentRunStates)[number], string>> = {
  queued: "It is stored and has not begun.",
  running: "A Host works on it.",
  waiting: "It waits for a person, for the provider, or for ingress, and then continues.",
  held: "A restore holds it until an operator releases or discards it.",
  succeeded: "It has ended, and its answer is stored.",
  failed: "It has ended without an answer; the reason says why.",
  cancelled: "An operator or a plugin cancelled it.",
}

const waits: Readonly<Record<(typeof agentWaits)[number], string>> = {
  approval: "A person has to approve a call.",
  retry: "The provider did not answer, or was overloaded: the run retries later.",
  ingress: "Ingress is paused: the run takes no step.",
}

const stepStates: Readonly<Record<(typeof agentStepStates)[number], string>> = {
  planned: "The model requested it, and it has not begun.",
  waiting: "It waits for a person's approval.",
  begun: "It has begun.",
  done: "It has ended, and its result is stored.",
  failed: "It has failed; the Host tells the model.",
  unknown: "It was interrupted and may have taken effect.",
  refused: "It did not begin; the reason says why.",
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
  none: "It changes nothing: the Host repeats an interrupted call.",
  transaction: "The Host stores its writes and messages in one batch with its step.",
  idempotent: "It gets a key by which the other side recognizes a repetition.",
  external: "An interrupted call is unknown, and the Host never repeats it.",
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
    "## Reasons to wait",
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
