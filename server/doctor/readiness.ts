import type {Component} from "../../shared/api/readiness.ts"
import {error, type Finding} from "./finding.ts"

/**
 * Finds the required components that are not ready, or would not be after a start. The database has its own check.
 */
export const checkReadiness = (components: readonly Component[]): readonly Finding[] =>
  components.flatMap(({kind, name, required, ready, message, remediation}) =>
    !required || ready || kind === "database"
      ? []
      : [error("readiness", `${kind} ${name}: ${message}`, `${remediation?.text} (${remediation?.command})`)],
  )
