import type {ModelRequest} from "../../../server/agents/providers/model.ts"
import {type BoundModel, usualModel} from "../../../server/agents/providers/models.ts"
import type {OpenOptions} from "../../../server/agents/providers/open-model.ts"
import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentSettings} from "../../../shared/config/agents.ts"
import {root} from "../host/runtimes.ts"

export const usualLimits = {
  steps: 24,
  tokens: 200_000,
  seconds: 600,
  output: 4096,
  call: 120,
  parallel: 4,
  user: {},
  channel: {},
  day: {},
} as const

/** A binding to a model server, with the configuration's defaults. */
export const bindingOf = (settings: Partial<AgentSettings> = {}): Binding => ({
  name: "helper",
  instructions: "You help.",
  fileProblem: undefined,
  config: {
    enabled: true,
    provider: "openai-compatible",
    model: "test-model",
    mcp: [],
    models: [],
    tools: {},
    limits: usualLimits,
    triggers: {mention: false, direct: false, permission: "user", pairing: false, events: [], items: false},
    permission: "none",
    approval: {permission: "trusted", expires: "24h"},
    ...settings,
  },
})

/** The model of these settings. */
export const modelIn = (settings: Partial<AgentSettings> = {}): BoundModel => usualModel(bindingOf(settings))

/** Opens models with this repository's packages, and hides nothing. */
export const noHiding: OpenOptions = {project: root, hide: text => text}

/** A request with a user's first message. */
export const userSays = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  instructions: "You help.",
  messages: [{role: "user", text}],
  tools: [],
  output: 1000,
  ...more,
})

export const never: AbortSignal = new AbortController().signal
