import type {DatabaseInfo} from "../../shared/api/database.ts"
import {error, type Finding, ok, warning} from "./finding.ts"

/** The share of the quota above which the doctor warns. */
const much = 0.9

const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`

const remedy = "Raise files.quota in svc.config.yml, or lower retention.sent so that messages are deleted sooner"

/** Checks whether the files of messages fill their quota. */
export const checkStoredFiles = ({count, bytes, quota}: DatabaseInfo["files"]): readonly Finding[] => {
  if (count === 0) return []
  const detail = `${count} files of messages take ${mebibytes(bytes)} of ${mebibytes(quota)}`
  if (bytes >= quota) return [error("files", `${detail}: the Host refuses messages with new files`, remedy)]
  return [bytes > quota * much ? warning("files", detail, remedy) : ok("files", detail)]
}
