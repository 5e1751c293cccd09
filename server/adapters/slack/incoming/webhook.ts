import {Problem, parseJson, type Verifier} from "../../../../shared/sdk/sdk.ts"
import {type Payload, payloadOf, textIn} from "../api/payload.ts"
import type {Inbox} from "./inbox.ts"

/**
 * Handles one request from Slack: events, presses and slash commands arrive at one address. Verifies and stores it,
 * then acknowledges it with an empty 200.
 */
export const answerRequest = async (
  request: Request,
  verifier: Verifier | undefined,
  inbox: Inbox,
): Promise<Response> => {
  if (request.method !== "POST") return new Response(null, {status: 405, headers: {allow: "POST"}})
  if (verifier === undefined)
    throw new Problem("signature_invalid", "the account of this endpoint has no signingSecret")
  const bytes = new Uint8Array(await request.arrayBuffer())
  verifier.verify(request.headers, bytes)
  const text = new TextDecoder().decode(bytes)
  if (/^application\/x-www-form-urlencoded\b/i.test(request.headers.get("content-type") ?? "")) {
    const form = Object.fromEntries(new URLSearchParams(text))
    if (form.payload !== undefined) await inbox.take("interactive", parse(form.payload))
    else await inbox.take("slash_commands", form)
    return new Response(null)
  }
  const body = parse(text)
  if (body.type === "url_verification") return Response.json({challenge: textIn(body, "challenge") ?? ""})
  await inbox.take("events_api", body)
  return new Response(null)
}

const parse = (text: string): Payload => payloadOf(parseJson(text))
