import type {AlertWait} from "../../../shared/alerts/api.ts"
import type {AlertSettings} from "../../../shared/config/alerts.ts"
import {tellingAll, toRow} from "../../events/telling.ts"
import {Alerts} from "../../metrics/alerts/alerts.ts"
import type {Mail, Senders} from "../../metrics/alerts/delivery.ts"
import type {AlertRecord} from "../../metrics/alerts/ledger.ts"
import {messageDraft} from "../../outbox/draft.ts"
import {post} from "../../runtime/outgoing/post.ts"
import {createLoad} from "../../runtime/packages/libraries.ts"
import type {Parts} from "../open/parts.ts"
import type {Sources} from "../parts/sources.ts"
import {loadMail} from "../plugins/built-in-plugins.ts"
import {createLook} from "./alert-facts.ts"

/** The owner of alert messages in the outbox: a name that no plugin can have. */
const owner = "svc:alerts"

/** Alerts see the Host as its console does. `project` is the folder whose packages the Host loads. */
export const createAlerts = (
  sources: Sources,
  parts: Pick<Parts, "facts">,
  project: string,
  isReady: () => boolean,
): Alerts => {
  const {identity, database, logs, running} = sources
  const settings = (): AlertSettings => running.settings.alerts
  return new Alerts({
    who: {project: identity.project, runtimeId: identity.runtimeId},
    database,
    log: logs.log,
    settings,
    look: createLook(running, parts),
    senders: sendersOf(sources, project),
    ask: async (url, signal) => {
      const response = await fetch(url, {signal, redirect: "manual"})
      await response.body?.cancel().catch(() => {})
      return {ok: response.ok, status: response.status}
    },
    isReady,
    isFailing: () => database.state.is !== "initialized" || database.state.failure !== undefined,
    telling: records => (records.length === 0 ? [] : [tellingAll(records.map(eventOf))]),
    scrub: logs.scrub,
  })
}

const eventOf = ({id, code, severity, until, endpoint, runId}: AlertRecord) => {
  const about = {...(endpoint === undefined ? {} : {endpoint}), ...(runId === undefined ? {} : {runId})}
  return toRow(until === null ? "alert.raised" : "alert.resolved", {alert: id, code, severity}, about)
}

const sendersOf = ({endpoints, ingress, database, outbox}: Sources, project: string): Senders => ({
  channelWaits: (endpoint): AlertWait | undefined => {
    const found = endpoints.get(endpoint)
    if (found === undefined) return "endpoint_unknown"
    if (ingress.isPaused) return "ingress_paused"
    if (database.state.is !== "initialized" || database.state.failure !== undefined) return "database_failing"
    return found.state.is === "online" ? undefined : "endpoint_offline"
  },
  send: async (to, text, key) => {
    await outbox.plan(messageDraft(to, text), {plugin: owner, key})
  },
  post,
  mail: ({from, to, smtp}, mail, signal) => sendMail(project, {from, to, smtp}, mail, signal),
})

/** The first mail loads the library. */
const sendMail = async (
  project: string,
  {from, to, smtp}: Parameters<Senders["mail"]>[0],
  {id, subject, text}: Mail,
  signal: AbortSignal,
): Promise<void> => {
  const {sendPlain, smtpLibrary} = await loadMail()
  const load = createLoad({name: "email --no-entry", project}, smtpLibrary)
  const library = await load<Parameters<typeof sendPlain>[0]>("nodemailer")
  const messageId = `${id}@${from.slice(from.indexOf("@") + 1)}`
  await sendPlain(library, smtp, {from, to, subject, text, messageId}, signal)
}
