import type {Lacking, Texts} from "./en/en.ts"
import {agents} from "./es/agents.ts"
import {attention} from "./es/attention.ts"
import {chat} from "./es/chat.ts"
import {config, configForm} from "./es/config.ts"
import {endpoints} from "./es/endpoints.ts"
import {events} from "./es/events.ts"
import {generations} from "./es/generations.ts"
import {scheduling} from "./es/job-form.ts"
import {jobs, timers} from "./es/jobs.ts"
import {messages} from "./es/messages.ts"
import {metrics} from "./es/metrics.ts"
import {operations} from "./es/operations.ts"
import {missed, overview} from "./es/overview.ts"
import {permissions} from "./es/permissions.ts"
import {plugins} from "./es/plugins.ts"
import {sentences} from "./es/sentences.ts"
import {shell} from "./es/shell.ts"
import {workroom} from "./es/workroom.ts"

/**
 * Spanish for every country: infinitives on buttons and in remedies, without tú or usted.
 *
 * These stay as they are: Host, endpoint, plugin, slot, Ingress, token, Journal, Authority.
 * handler: controlador. inbox: entrada. outbox: salida. event: evento. retry: reintentar. release (a held item):
 * liberar. discard: descartar. held: retenido. dead: abandonado. readiness: disponibilidad. required: obligatorio.
 * generation: generación. commit (a generation): aplicar. pin: fijar. roll back: revertir. checkpoint: punto de
 * control. job: trabajo. timer: temporizador. run: ejecución. work item: tarea. agent: agente. tool: herramienta.
 * approval: aprobación. release (of a version): publicación.
 */
export const es: Lacking<Texts> = {
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
