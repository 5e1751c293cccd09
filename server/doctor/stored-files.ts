import type {DatabaseInfo} from "../../shared/api/database.ts"
import {error, type Finding, ok, warning} from "./finding.ts"

/** The doctor reports a store of files that takes more than this share of its quota. */
const much = 0.9

const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`

const remedy = "Raise files.quota in svc.config.yml, or let retention.sent drop messages sooner"

/** Do the files of messages fill their quota? */
export const checkStoredFiles = ({count, bytes, quota}: DatabaseInfo["files"]): readonly Finding[] => {
  if (count === 0) return []
  const detail = `${count} files of messages take ${mebibytes(bytes)} of ${mebibytes(quota)}`
  if (bytes >= quota) return [error("files", `${detail}: messages with new files are refused`, remedy)]
  return [bytes > quota * much ? warning("files", detail, remedy) : ok("files", detail)]
}
