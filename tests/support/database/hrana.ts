/** The part of the libSQL protocol (Hrana 2, JSON) that the stand-in speaks. */

export type HranaValue =
  | {readonly type: "null"}
  | {readonly type: "integer" | "text"; readonly value: string}
  | {readonly type: "float"; readonly value: number}
  | {readonly type: "blob"; readonly base64: string}

export interface HranaStatement {
  readonly sql?: string
  readonly sql_id?: number
  readonly args?: readonly HranaValue[]
}

export type BatchCondition =
  | {readonly type: "ok" | "error"; readonly step: number}
  | {readonly type: "not"; readonly cond: BatchCondition}
  | {readonly type: "and" | "or"; readonly conds: readonly BatchCondition[]}

export interface BatchStep {
  readonly condition?: BatchCondition | null
  readonly stmt: HranaStatement
}

export type HranaRequest =
  | {readonly type: "execute"; readonly stmt: HranaStatement}
  | {readonly type: "batch"; readonly batch: {readonly steps: readonly BatchStep[]}}
  | {readonly type: "sequence"; readonly sql: string}
  | {readonly type: "store_sql"; readonly sql_id: number; readonly sql: string}
  | {readonly type: "close_sql"; readonly sql_id: number}
  | {readonly type: "close"}

export const decode = (value: HranaValue): null | bigint | number | string | Uint8Array => {
  if (value.type === "null") return null
  if (value.type === "integer") return BigInt(value.value)
  if (value.type === "blob") return Buffer.from(value.base64, "base64")
  return value.value
}

export const encode = (value: unknown): HranaValue => {
  if (value === null || value === undefined) return {type: "null"}
  if (typeof value === "bigint") return {type: "integer", value: String(value)}
  if (typeof value === "number") return {type: "float", value}
  if (value instanceof Uint8Array) return {type: "blob", base64: Buffer.from(value).toString("base64")}
  return {type: "text", value: String(value)}
}
