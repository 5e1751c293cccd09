import {type AdapterFinding, type CheckTools, isRefusal} from "../../../shared/sdk/sdk.ts"
import {type AccountSettings, transportOf} from "./account.ts"
import {type Ask, isRecord} from "./api.ts"
import {askByHttp} from "./http.ts"
import {openSocket} from "./socket.ts"

/** With reverse WebSocket, only the implementation can connect. */
const awaited: AdapterFinding = {
  what: "account",
  ok: true,
  detail: "the implementation connects to the Host; the endpoint's state shows whether it is connected",
}

/** Asks over a separate connection for the bot's user, whether it is online, and the protocol. */
export const check = async (account: AccountSettings, tools: CheckTools): Promise<readonly AdapterFinding[]> => {
  const {signal} = tools
  try {
    const transport = transportOf(account)
    if (transport.is === "reverse") return [awaited]
    const server = {url: transport.url, accessToken: account.accessToken}
    if (transport.is === "http") return [...(await ask(askByHttp(server), signal)), eventsOf(account)]
    const socket = await openSocket(server, {event: () => {}, closed: () => {}}, tools)
    try {
      return await ask(socket.ask, signal)
    } finally {
      socket.close()
    }
  } catch (error) {
    if (!isRefusal(error)) throw error
    const what = error.reason === "account" ? "account" : "credentials"
    return [{what, ok: false, detail: error.message, remediation: error.remediation}]
  }
}

const ask = async (action: Ask, signal: AbortSignal): Promise<readonly AdapterFinding[]> => {
  const of = async (name: string) => {
    const data = await action(name, {}, signal)
    return isRecord(data) ? data : {}
  }
  const {user_id, nickname} = await of("get_login_info")
  const {online, good} = await of("get_status")
  const {app_name, app_version, protocol_version} = await of("get_version_info")
  return [
    {what: "credentials", ok: true, detail: `logged in as ${nickname} (${user_id})`},
    {
      what: "online",
      ok: online !== false && good !== false,
      detail: online === false ? "the implementation is not logged in to its platform" : "logged in to its platform",
      remediation: "Log the implementation in to its platform again; its own page or log shows how.",
    },
    {
      what: "protocol",
      ok: protocol_version === "v11",
      detail: `${app_name} ${app_version}, ${protocol_version}`,
      remediation: "Use an implementation of OneBot v11.",
    },
  ]
}

const eventsOf = ({secret}: AccountSettings): AdapterFinding => ({
  what: "events over HTTP",
  ok: secret !== undefined,
  detail:
    secret === undefined ? "without a secret the endpoint only sends" : "svc accepts posts with a valid X-Signature",
  remediation: "Set secret here and in the implementation, or use its WebSocket server.",
})
