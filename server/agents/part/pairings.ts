import {pairingOperations} from "../../../shared/api/operations/messages.ts"
import {serve} from "../../../shared/api/operations/operation.ts"
import type {Strangers} from "../strangers/strangers.ts"

export const pairingRoutes = ({list, admit}: Pick<Strangers, "list" | "admit">) =>
  serve(pairingOperations, {
    list: async () => ({items: [...(await list())]}),
    approve: ({body: {code}}) => admit(code, "operator"),
  })
