import {definePlugin, Type} from "../../../shared/sdk/sdk.ts"
import {receive} from "./receive.ts"
import {createSend} from "./send.ts"

/** One partner, which signs its requests and receives messages by POST. */
export const Account = Type.Object(
  {
    secrets: Type.Array(
      Type.Secret({description: "As ${NAME}; its value is base64 of 24 to 64 bytes, with or without whsec_"}),
      {
        minItems: 1,
        maxItems: 4,
        description: "The keys of both sides: the endpoint accepts signatures of any of them, and signs with the first",
      },
    ),
    url: Type.Optional(
      Type.String({
        pattern: "^https?://[^/@\\s?#]+([/?]\\S*)?$",
        description: "The address to which svc posts messages; without it, the endpoint only receives",
      }),
    ),
  },
  {additionalProperties: false},
)

/** Signed webhooks in and out, according to Standard Webhooks. */
export default definePlugin({
  description: "Signed webhooks, in and out (Standard Webhooks)",
  setup(plugin) {
    plugin.adapter("webhook", {
      description: "A partner that signs its webhooks",
      account: Account,
      history: "replay",
      forgetsAcknowledged: true,
      idempotent: true,
      features: ["react"],
      open: async ({secrets, url}, endpoint) => {
        const verifier = await endpoint.verifier({by: "standard", secret: secrets})
        endpoint.login({platform: "webhook", user: {id: "bot", name: "bot", is_bot: true}, status: 1})
        return {
          ...createSend(url, verifier, endpoint),
          receive: (request: Request) => receive(request, verifier, endpoint),
        }
      },
      webhook: (request, {receive}) => receive(request),
    })
  },
})
