import {Redacted, RedactRequest} from "../../../shared/api/messages.ts"
import type {Redaction} from "../../inbox/redact.ts"
import {answering, type Call, type Operation} from "../operations.ts"

interface Redacting extends Pick<Operation, "summary" | "problems"> {
  redact(call: Call, reason: string | null): Promise<Redaction>
}

/** Redacts one row, with an optional reason. */
export const redacting = ({redact, ...about}: Redacting): Operation =>
  answering({
    ...about,
    body: RedactRequest,
    answer: Redacted,
    run: ({body: {reason = null}, call}) => redact(call, reason),
  })()
