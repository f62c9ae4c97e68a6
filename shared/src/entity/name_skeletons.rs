//! Skeletons of user names: look-alike names share one, so that no two users of a kind get such
//! names.

#[shared_macros::table("name_skeletons")]
pub struct Model {
    /// SHA-256 of the user kind and the name's skeleton.
    #[sea_orm(primary_key, auto_increment = false)]
    pub skeleton_hash: String,
}
