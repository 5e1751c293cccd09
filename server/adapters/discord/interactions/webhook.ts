import {type Endpoint, Problem, parseJson} from "../../../../shared/sdk/sdk.ts"
import {numberIn, type Payload, payloadOf} from "../api/payload.ts"
import {type Callback, type Interaction, interactionType} from "./read.ts"
import {readPublicKey, requireSigned} from "./signature.ts"

export interface InteractionHook {
  /** The application's public key. Without one, the endpoint accepts no interactions by HTTP. */
  readonly publicKey: string | undefined
  readonly endpoint: Pick<Endpoint, "receive">
  read(data: Payload): Interaction | undefined
  /** Called with the answer that goes out. */
  answered(interaction: Interaction): void
}

/** Handles posts to the interactions address: it verifies and stores them, and only then acknowledges them. */
export const createHook = ({publicKey, endpoint, read, answered}: InteractionHook) => {
  const key = publicKey === undefined ? undefined : readPublicKey(publicKey)
  return async (request: Request): Promise<Response> => {
    if (key === undefined)
      throw new Problem("not_found", "the account has no publicKey, so this endpoint accepts no interactions")
    if (request.method !== "POST")
      throw new Problem("method_not_allowed", "interactions must be sent by POST", {hint: "Use POST."})
    const body = new Uint8Array(await request.arrayBuffer())
    requireSigned(key, request.headers, body)
    const data = payloadOf(parseJson(Buffer.from(body).toString("utf8")))
    if (numberIn(data, "type") === interactionType.ping) return answerWith({type: 1})
    const interaction = read(data)
    if (interaction === undefined) throw new Problem("request_invalid", "unknown kind of interaction")
    if (interaction.events.length > 0) await endpoint.receive(interaction.events)
    answered(interaction)
    return answerWith(interaction.answer)
  }
}

const answerWith = (answer: Callback): Response =>
  new Response(JSON.stringify(answer), {headers: {"content-type": "application/json", "cache-control": "no-store"}})
