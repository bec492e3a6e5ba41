extension TypeScriptTypes {
    /// The types that rows are sent in. They are the same for all schemas.
    static func envelopes(allProjects: Bool) -> String {
        [bucket, allProjects ? pageOfAllProjects : page, upload, answer(allProjects: allProjects), refusals]
            .joined(separator: "\n\n")
    }

    private static let bucket = """
        export interface Bucket<Row> {
            created: Row[];
            updated: Row[];
            deleted: string[];
        }
        """

    private static let page = """
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
        """

    private static let pageOfAllProjects = """
        /** One page of a pull of all projects. With the parameter `collections`, `changes` has only those. */
        export interface PageResponse {
            changes: { [Name in keyof Collections]: Bucket<Collections[Name]> };
            /** On page 1: the projects that the user has lost since the last pull. */
            left_projects?: { project_id: string; code: 'membership_revoked' | 'project_deleted' }[];
            /** Projects that begin on this page and are sent whole: drop their rows that the drain does not name. */
            replaced?: string[];
            /** Adopt it as `since` when `has_more` is false. */
            timestamp: number;
            next_cursor: string | null;
            has_more: boolean;
            progress: { rows: number; total: number | null };
            /** On the last page, by project; null for a project that was written to since. */
            digest?: { [project: string]: { [Name in keyof Collections]?: { count: number; digest: string } } | null };
            /** On the last page: the head that each project was drained at. */
            heads?: { [project: string]: number };
        }
        """

    private static let upload = """
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
        """

    private static func answer(allProjects: Bool) -> String {
        """
        export interface UploadAnswer {
            client_batch_id: string;
        \(allProjects ? commits : commit)
            applied: { [Name in Uploadable]?: Bucket<{ id: string; server_version: number }> };
            skipped: { [Name in Uploadable]?: { id: string; field?: string; code: string }[] };
            conflicts: { [Name in Uploadable]?: Conflict[] };
            rejected: { [Name in Uploadable]?: Refusal[] };
            rejected_ids: { [Name in Uploadable]?: string[] };
            repaired: { [Name in Uploadable]?: { id: string; field: string; from: unknown; to: unknown }[] };
        }
        """
    }

    private static let commit = """
            /** The batch's commit number. It is not a watermark: don't adopt it. */
            timestamp: number;
        """

    private static let commits = """
            timestamp: null;
            /** The batch's commit number in each project. A drain has the batch when its `heads` have reached them. */
            timestamps: { [project: string]: number };
        """

    private static let refusals = """
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
