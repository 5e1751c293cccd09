import {agents} from "./de/agents.ts"
import {attention} from "./de/attention.ts"
import {chat} from "./de/chat.ts"
import {config, configForm} from "./de/config.ts"
import {endpoints} from "./de/endpoints.ts"
import {events} from "./de/events.ts"
import {generations} from "./de/generations.ts"
import {scheduling} from "./de/job-form.ts"
import {jobs, timers} from "./de/jobs.ts"
import {messages} from "./de/messages.ts"
import {metrics} from "./de/metrics.ts"
import {operations} from "./de/operations.ts"
import {missed, overview} from "./de/overview.ts"
import {permissions} from "./de/permissions.ts"
import {plugins} from "./de/plugins.ts"
import {sentences} from "./de/sentences.ts"
import {shell} from "./de/shell.ts"
import {workroom} from "./de/workroom.ts"
import type {Lacking, Texts} from "./en/en.ts"

/**
 * German that does not address the reader: infinitives on buttons and in remedies.
 *
 * These stay as they are: Host, Endpoint, Plugin, Handler, Job, Timer, Checkpoint, Ingress, Token, Workroom, Journal.
 * inbox: Eingang. outbox: Ausgang. event: Ereignis. retry: wiederholen. release (a held item): freigeben. discard:
 * verwerfen. held: angehalten. dead: aufgegeben. readiness: Bereitschaft. required: erforderlich. generation:
 * Generation. commit (a generation): übernehmen. pin: fixieren. roll back: zurückrollen. run: Lauf. work item: Aufgabe.
 * tool: Werkzeug. approval: Freigabe.
 */
export const de: Lacking<Texts> = {
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
  config,
  configForm,
  timers,
  jobs,
  scheduling,
  agents,
  permissions,
  chat,
}
