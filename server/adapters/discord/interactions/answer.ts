import {setTimeout as sleep} from "node:timers/promises"
import type {Endpoint} from "../../../../shared/sdk/sdk.ts"
import type {Api} from "../api/api.ts"
import type {Interaction} from "./read.ts"

/** After an answer by HTTP, Discord needs this many milliseconds to show it. */
const shown = 1000

/** Acknowledges interactions: at once, by the API. Then it deletes the "thinking" message. */
export const createAnswers = (api: Api, {log, signal}: Pick<Endpoint, "log" | "signal">) => {
  const conclude = async ({application, token, isThinking}: Interaction) => {
    if (!isThinking) return
    const path = `/webhooks/${application}/${encodeURIComponent(token)}/messages/@original`
    await api.ask("DELETE", path, {auth: false}, signal)
  }
  const unanswered = (error: unknown) =>
    log.debug("Discord rejected the answer to an interaction; the user may see that it failed", {error})
  return {
    /** Answers an interaction from the gateway. */
    answer: (interaction: Interaction): void => {
      const {id, token, answer} = interaction
      const path = `/interactions/${id}/${encodeURIComponent(token)}/callback`
      void api
        .ask("POST", path, {body: answer, auth: false}, signal)
        .then(() => conclude(interaction))
        .catch(unanswered)
    },
    /** Concludes an interaction whose webhook request already returned the answer. */
    answered: (interaction: Interaction): void =>
      void sleep(shown, undefined, {signal})
        .then(() => conclude(interaction))
        .catch(unanswered),
  }
}
