import {refused} from "../../../../shared/sdk/sdk.ts"
import {apiSignal, type Bot} from "../api/bot.ts"
import {BotApiError} from "../api/failures.ts"
import type {Places} from "../api/place.ts"

type Params = Readonly<Record<string, unknown>>
type Methods = Readonly<Record<string, (params: Params, signal: ReturnType<typeof apiSignal>) => Promise<unknown>>>

/** Calls a method of the Bot API. `chat_id` may be a channel's id: with a colon and the topic's id. */
export const callBotApi = (
  {api}: Bot,
  places: Places,
  name: string,
  {chat_id, ...params}: Params,
  signal: AbortSignal,
): Promise<unknown> => {
  const call = async (place: object) => {
    try {
      // The library passes on any name. The Host has checked it against the list.
      return await (api as unknown as Methods)[name]?.({...place, ...params}, apiSignal(signal))
    } catch (error) {
      if (!(error instanceof BotApiError) || error.code !== 404) throw error
      throw refused(`the Bot API server has no method ${name}`, {
        reason: "unsupported",
        remediation: "Update the Bot API server that apiRoot names.",
      })
    }
  }
  return chat_id === undefined ? call({}) : places.in(String(chat_id), call)
}
