import type {VerificationView} from "../../../shared/api/workroom.ts"
import {counted} from "../print.ts"

export const describeStore = ({
  store,
  seq,
  items,
  hash,
  torn = 0,
}: VerificationView & {readonly torn?: number}): string => {
  const end = torn === 0 ? "" : `, then ${torn} bytes of a torn record, which the next start removes`
  return `${store} store, ${counted(seq, "record")}, ${counted(items, "item")}, ends with ${hash.slice(0, 12)}${end}`
}
