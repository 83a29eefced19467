// Colours of entities. There are eight hues that colour-blind people can distinguish. With more entities they repeat, and
// the number at every mention says which entity is meant. A response entity has the colour of the key entity that CEAFe
// aligns with it, so agreement is easy to see. A response entity that is not aligned has no colour.

const HUES = 8;

export function coloured(view) {
  let next = 0;
  for (const entity of view.key.entities) entity.colour = entity.size > 1 ? `c${next++ % HUES}` : "c-";
  for (const entity of view.response.entities) entity.colour = "c-";
  for (const cell of view.cells) {
    if (cell.ceafe) view.response.entities[cell.j].colour = view.key.entities[cell.i].colour;
  }
}
