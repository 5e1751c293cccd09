import {endpointName} from "../../shared/ids.ts"
import {toJson} from "../../shared/json.ts"
import {readText} from "../../shared/sdk/adapter/answer.ts"
import {uuid} from "../runtime/uuid.ts"
import {apiOf, endOf, type Sent, sentAs, startLimit} from "./actions.ts"
import {until} from "./asking.ts"
import type {UnderTest} from "./waiting.ts"

export interface WebhookOptions {
  /** The sender's type of the event, such as `push`, for a scheme with a header for it. */
  readonly type?: string
  /** The id of the request, for a scheme or an `id` with a header for it; a new one when left out. */
  readonly id?: string
  /** More headers, in place of those that the scheme makes. */
  readonly headers?: Readonly<Record<string, string>>
  /** The name of the plugin that declares the webhook; the only one that does when left out. */
  readonly plugin?: string
}

/** What the endpoint of a webhook opens. */
interface Signer {
  sign(body: string, id: string, type?: string): Readonly<Record<string, string>>
}

/** The longest answer that is read, in bytes. */
const largest = 1024 * 1024

/**
 * @internal Posts to a plugin's webhook, signed as its sender signs. Resolves to the messages of the event's handlers
 * once they are sent. Rejects if the Host refuses the request.
 */
export const postWebhook = async (
  bot: UnderTest,
  name: string,
  body: unknown,
  {plugin, type, id = uuid(), headers}: WebhookOptions & {readonly plugin: string},
): Promise<readonly Sent[]> => {
  const {host} = bot
  const endpoint = endpointName(plugin, name)
  const found = () => host.endpoints.get(endpoint)
  if (found()?.spec.onlyReceives === undefined) throw new Error(`${plugin} declares no webhook "${name}"`)
  const opened = await until(`${endpoint} to open`, startLimit, () => found()?.opened as Signer | undefined)
  const newest = async () => (await apiOf(host).get("/api/inbox", {endpoint, limit: 1})).items[0]?.seq
  const text = typeof body === "string" ? body : toJson(body)
  const before = await newest()
  const signed = {...opened.sign(text, id, type), ...headers}
  const answer = await fetch(`${host.url}/hooks/${plugin}/${name}`, {method: "POST", headers: signed, body: text})
  const told = await readText(answer, largest)
  if (!answer.ok) throw new Error(`the webhook "${name}" answered ${answer.status}: ${told}`)
  const sn = await newest()
  return sn === undefined || sn === before
    ? []
    : sentAs(host, (await endOf(bot, `webhook(${toJson(name)})`, sn)).replies)
}
