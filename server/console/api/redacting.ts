import {Redacted, RedactRequest} from "../../../shared/api/messages.ts"
import type {Call, Operation} from "../../../shared/sdk/route.ts"
import type {Static} from "../../../shared/type.ts"
import type {Redaction} from "../../inbox/redact.ts"

interface Redacting extends Pick<Operation, "summary" | "problems"> {
  redact(call: Call, reason: string | null): Promise<Redaction>
}

/** Redacts one row, with an optional reason. */
export const redacting = ({redact, ...about}: Redacting): Operation => ({
  ...about,
  body: RedactRequest,
  response: {200: Redacted},
  handle: async (_, call) => {
    const {reason = null} = (await call.body()) as Static<typeof RedactRequest>
    return call.json(Redacted, await redact(call, reason))
  },
})
