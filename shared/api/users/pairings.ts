import {Named, type Static, Time, Type} from "../../type.ts"

/** A user who asked an agent in a direct message, without being a member of the endpoint. */
export const PairingView = Named("PairingView", {
  code: Type.String({private: true}),
  agent: Type.String({description: "The agent that the user asked"}),
  endpoint: Type.String(),
  user: Type.String({private: true, description: "The platform's id of the user"}),
  expiresAt: Time(),
})
export type PairingView = Static<typeof PairingView>
