extension TypeScriptTypes {
    /// The types that rows are sent in. They are the same for all schemas.
    static let envelopes = """
        export interface Bucket<Row> {
            created: Row[];
            updated: Row[];
            deleted: string[];
        }

        /** One page of a pull. With the parameter `collections`, `changes` has only those. */
        export interface PageResponse {
            changes: { [Name in keyof Collections]: Bucket<Collections[Name]> };
            /** Adopt it as `since` when `has_more` is false. */
            timestamp: number;
            next_cursor: string | null;
            has_more: boolean;
            progress: { rows: number; total: number | null };
            digest?: { [Name in keyof Collections]?: { count: number; digest: string } } | null;
        }

        /** A row in an upload: absent fields keep their value. */
        export type Edit<Row> = { id: string; base_version?: number; _changed?: string } \
        & Partial<Omit<Row, 'id' | 'server_version'>>;

        export interface Upload {
            /** A UUID. All retries of the batch have the same one. */
            client_batch_id: string;
            last_pulled_at?: number;
            device_id?: string;
            encoding?: 'json' | 'watermelondb';
            on_conflict?: 'overwrite' | 'newest' | 'merge' | 'reject';
            on_error?: 'reject_batch' | 'reject_rows' | 'repair';
            changes: { [Name in Uploadable]?: Partial<Bucket<Edit<Collections[Name]>>> };
        }

        export interface UploadAnswer {
            client_batch_id: string;
            /** The batch's commit number. It is not a watermark: don't adopt it. */
            timestamp: number;
            applied: { [Name in Uploadable]?: Bucket<{ id: string; server_version: number }> };
            skipped: { [Name in Uploadable]?: { id: string; field?: string; code: string }[] };
            conflicts: { [Name in Uploadable]?: Conflict[] };
            rejected: { [Name in Uploadable]?: Refusal[] };
            rejected_ids: { [Name in Uploadable]?: string[] };
            repaired: { [Name in Uploadable]?: { id: string; field: string; from: unknown; to: unknown }[] };
        }

        export interface Refusal {
            id: string;
            field: string | null;
            code: string;
            detail: string;
            /** With `not_unique`: the id of the row that has the key, if the sender may see it. */
            existing?: string;
        }

        export interface Conflict {
            id: string;
            fields: string[];
            server_version: number;
            server_values: { [field: string]: unknown };
            client_values: { [field: string]: unknown };
        }
        """
}
