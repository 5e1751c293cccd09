import {agents} from "./en/agents.ts"
import {attention} from "./en/attention.ts"
import {chat} from "./en/chat.ts"
import {config} from "./en/config.ts"
import {configForm} from "./en/config-form.ts"
import {endpoints} from "./en/endpoints.ts"
import {events} from "./en/events.ts"
import {generations} from "./en/generations.ts"
import {scheduling} from "./en/job-form.ts"
import {jobs, timers} from "./en/jobs.ts"
import {messages} from "./en/messages.ts"
import {metrics} from "./en/metrics.ts"
import {operations} from "./en/operations.ts"
import {missed, overview} from "./en/overview.ts"
import {permissions} from "./en/permissions.ts"
import {plugins} from "./en/plugins.ts"
import {sentences} from "./en/sentences.ts"
import {shell} from "./en/shell.ts"
import {workroom} from "./en/workroom.ts"

/** Every text of the console in English. If another language lacks a text, the console shows the English one. */
export const en = {
  ...shell,
  overview,
  missed,
  metrics,
  attention,
  events,
  sentences,
  messages,
  generations,
  operations,
  endpoints,
  workroom,
  plugins,
  configForm,
  timers,
  jobs,
  scheduling,
  agents,
  config,
  permissions,
  chat,
} as const
