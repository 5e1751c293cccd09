import {Named, type Static, Type} from "../type.ts"
import {itemStates} from "./item-rules.ts"
import {Item} from "./workroom.ts"

const {description, comments, conversation, createdBy, request, addedBy, ...shown} = Item.properties

export const BoardItem = Named("BoardItem", {...shown, comments: Type.Integer({description: "Number of comments"})})
export type BoardItem = Static<typeof BoardItem>

export const BoardView = Named("BoardView", {
  seq: Type.Integer({description: "The last record of the Journal that the board includes"}),
  columns: Type.Array(
    Type.Object({
      state: Type.Enum([...itemStates]),
      total: Type.Integer({description: "Number of matching items in this state"}),
      items: Type.Array(BoardItem),
    }),
    {description: "Blocked items come first"},
  ),
})
export type BoardView = Static<typeof BoardView>
