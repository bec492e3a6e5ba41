/** What of a task decides its place among those with the same parent. */
export interface Sibling {
    id: string;
    rank?: string | null;
    wbs_path?: string | null;
    short_id?: string | null;
    [field: string]: any;
}

/** The key of a row. Siblings stand by (key, id), byte by byte. */
export function orderKey(row: Omit<Sibling, 'id'>): string;
/** Whether a value is a rank that the server takes. */
export function isRank(value: unknown): value is string;
export function compareSiblings(one: Sibling, other: Sibling): number;
/** The siblings in their order. `rowOf` says which row an element is about. */
export function inOrder<Each>(siblings: Each[], rowOf?: (each: Each) => Sibling): Each[];

/** Ranks for rows that are put among their siblings in one go. Rows of one go don't mix with another device's. */
export class Placing {
    constructor(options?: { random?: () => number });
    /**
     * Ranks for `count` rows that are put before `siblings[index]`, at the end if there is no such row. `siblings` are
     * all rows with the parent, in their order, without those that are being moved. `reranked` is to be written in the
     * same edit.
     */
    put(siblings: Sibling[], index: number, count?: number):
        { ranks: string[]; reranked: { id: string; rank: string }[] };
}

/** Ranks for the rows of a file, in its order, for a project in which there are no others yet. */
export function spread(count: number): string[];
